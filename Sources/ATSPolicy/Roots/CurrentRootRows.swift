/// Rows of the roots in the newest published store, that of 26.0: form and source in ``AppleRoots/published``.
enum CurrentRootRows {
    /// Generated; do not edit.
    static let text = """
        vRU+17BDT2iGsXvOi76E7T : : ID d7a7a0fb5d7e AAA Certificate Services
        L8VmekuaJnjtasatJUZfy/ 12: 10.14: DD ebc5570c2901 AC RAIZ FNMT-RCM
        BVcK5usPzrQhDm23lIa3CU 15.1: 12.0.1: DD 9a6ec012e1a7 ACCVRAIZ1
        JdSRPPWHCXQU0p0m9sGxlC : : ID 55926084ec96 Actalis Authentication Root CA
        bEZLmlsjOl6HTadlwm8EUB : : ID 0376ab1d54c5 AffirmTrust Commercial
        lAcq0/WPcPkwmOWl9sBMls : : ID 0a81ec5a9297 AffirmTrust Networking
        x/Q7TPW3FWgpT4IrU3YmBf : : ID 70a73f7f376b AffirmTrust Premium
        MhmwkRT/SVo+tusAwu/qs0 : : ID bd71fdf6da97 AffirmTrust Premium ECC
        ++MBgDH5WGvL9Bcn5Be30c 11.1: 10.13.1: DD 8ecde6884f3d Amazon Root CA 1
        f0KW/FtqTjs108NpYj42Sr 11.1: 10.13.1: DD 1ba5b2aa8c65 Amazon Root CA 2
        NqvDJlas/GRcYbcWE8S/Ic 11.1: 10.13.1: DD 18ce6cfe7bf1 Amazon Root CA 3
        9+ze1cZgR9KO1kZrVDxA4H 11.1: 10.13.1: DD e35d28419ed0 Amazon Root CA 4
        Z7uquUyzhLFYnFoEtteTAG 26: 26: DD! 5fbd45b0303b Apple Platform Bootstrap ECC Root CA - G1
        PpL8yGI8HYFkLYs/9hAJzg 26: 26: DD! 559e1c540688 Apple Platform Code Signing ECC Root CA - G1
        8ABowQ9OeoCkKSnjURNnTG 26: 26: DD! 0cb9124cadff Apple Platform Code Signing RSA Root CA - G1
        ySWdjwF6ZYec2WpG01g/Lr 26: 26: DD! 99dad8412ff1 Apple Platform Developer ECC Root CA - G1
        yiN3cvxnrjbl6JfPRJ7VPM 26: 26: DD! 8174fdd9db62 Apple Platform Developer RSA Root CA - G1
        2aL/61roLQy6eNdB5m3bcR 26: 26: DD! 2aa219a1df9e Apple Platform ECC Root CA - G1
        9FgrVQgYILN2So/4hxQ3Jm 26: 26: DD! ffe0e2fab9a7 Apple Platform Multipurpose ECC Root CA - G1
        AMvfiVL3jHOut7Vjq83OKT 26: 26: DD! fa760b953dfd Apple Platform Multipurpose RSA Root CA - G1
        s/Mwo4rHds/aug3ow+0MYM 26: 26: DD! 5a5044783b2c Apple Platform RSA Root CA - G1
        h3VzFYRdfHhTG4SxPh1YJO 26: 26: DD f5fcc6d6d0e1 Apple Platform TLS ECC Root CA - G1
        /DGaJORLVY9M38dff32sX9 26: 26: DD 49baca97e0d7 Apple Platform TLS RSA Root CA - G1
        60mT76mwieWTQYqok/jpOn : : ID b0b1730ecbc7 Apple Root CA
        Z0A55HJWGWPIywDSGpepCh : : ID c2b9b042dd57 Apple Root CA - G2
        myGdD7/zal+zIJBXGQa87q : : ID 63343abfb89a Apple Root CA - G3
        60mT76mwieWTQYqok/jpOn : : ID 0d83b611b648 Apple Root Certificate Authority
        5co3vHtsNhl5vGsSPKmh2w 10.1: 10.12.1: ID f356bea244b7 Atos TrustedRoot 2011
        w8CBGZLMvCwoLSwwAi286F 17.4: 14.4: DD e38655f4b019 Atos TrustedRoot Root CA ECC G2 2020
        YIljx4xFXm40sHJGis4JVs 17.4: 14.4: DD b2fae53e14cc Atos TrustedRoot Root CA ECC TLS 2021
        IelN2/pobLv7gCaJ9bDXaD 17.4: 14.4: DD 78833a783bb2 Atos TrustedRoot Root CA RSA G2 2020
        98p3phDj1CRHJAaS29V8/R 17.4: 14.4: DD 81a9088ea59f Atos TrustedRoot Root CA RSA TLS 2021
        Ow1ztL5KhUrcPlHX75+kiu : : ID 04048028bf1f Autoridad de Certificacion Firmaprofesional CIF A62634068
        WVWuKRV0qTE0LPdFDhZlLt : : ID 9a114025197c Buypass Class 2 Root CA
        sD2HsFbQjMnU5nXvGcqDq1 : : ID edf7ebbca27a Buypass Class 3 Root CA
        cCEWzNi/I+FkZvDg26Dtai : : ID e23d4a036d7b CA Disig Root R2
        HvZGJdqi5dQz10Sa4xogDR 16: 13: DD b4585f22e4ac Certainly Root E1
        P5Pz/PedIl0hPu9qSj9Yhc 16: 13: DD 77b82cd8644c Certainly Root R1
        UQ0g5cR/Y89mayD2GvYrwJ : : ID e3b6a2db2ed7 Certigna
        28HjoVI4oEg7zbj97GFuA+ : : ID eaa962c4fa4a certSIGN ROOT CA
        y617HThISd8JRrfujn9ffO 16: 13: DD 657cfe2fa73f certSIGN ROOT CA G2
        lzasOyXRbEWkVBipZFeBVk : : ID d8e0febc1db2 Certum CA
        3ntpMunERYLODeB6vat+6p 16: 13: DD 6b3280856253 Certum EC-384 CA
        qiYwp7YXsE0KKUureoyqpQ : : ID 5c58468d55f5 Certum Trusted Network CA
        aztX6eyI0bs9AWN/8zx2mL : : ID 9f8b05137f20,b676f2eddae8 Certum Trusted Network CA 2
        aB3EgsKWyEAsbrsg5oMJo7 16: 13: DD fe7696573855 Certum Trusted Root CA
        3V7RwJD59EgGG6qUprsRAX 10.1: 10.12.1: ID 5cc3d78e4e1d CFCA EV ROOT
        ztQ5AqtftXtEIyLcDhcqT7 : : ID 063e4afac491 Chambers of Commerce Root - 2008
        AG1751Vd2CAmRCxPGieoDo : : ID 0c2cd63df780 COMODO Certification Authority
        58qRu/uxh4gFezqAcERupS 10.1: 10.12.1: ID 1793927a0614 COMODO ECC Certification Authority
        grX4Ta9HpZx6tSHkmCrvpA 10.1: 10.12.1: ID 52f0e1c4e58e COMODO RSA Certification Authority
        wGyHL8LQrAjXjUIZgfvaTj : : ID 2605875afcc1 ComSign Global Root CA
        1JxvKJzQVlGUkkgPGS8Apv 11.1: 10.13.1: DD a1a86d04121e D-TRUST Root CA 3 2013
        7KDxgUAs56hlKzG00DbfJH : : ID 49e7a442acf0 D-TRUST Root Class 3 CA 2 2009
        /zQvtsTIvTCkcG9zSJU58Z : : ID eec5496b988c D-TRUST Root Class 3 CA 2 EV 2009
        gNv7l73Tkmuu5B9zxViPqh : : ID 7afc9d01a62f Developer ID Certification Authority
        I/Lt/z7ekCWanjD0Cvj5Eq : : ID 3e9099b5015e DigiCert Assured ID Root CA
        8ca6Zwz8iOTfUpc8rkIPCg : : ID 7d05ebb68233 DigiCert Assured ID Root G2
        Fe7TOVlLME+M+Ee0dzcdjW : : ID 7e37cb8b4c47 DigiCert Assured ID Root G3
        r/mIkG3eEpVdm+u/ko/cwx : : ID 4348a0e9444c DigiCert Global Root CA
        i7WTqTvh0OioIruIfFR4kM : : ID cb3ccbb76031 DigiCert Global Root G2
        uUwZgwDOxcBXrQcntwu+kY : : ID 31ad6648f810 DigiCert Global Root G3
        WoiWRyIOVNa9ihaBciRSC7 : : ID 7431e5f4c3c1 DigiCert High Assurance EV Root CA
        nOFx7QZ3iPWYO5SkW4gR8u 18: 15: DD e8e8176536a6 DigiCert SMIME ECC P384 Root G5
        FafzD6yXIlzaPwguzkj5Db 18: 15: DD 90370d3efa88 DigiCert SMIME RSA4096 Root G5
        oC+voZLIy4HLE0FVT5wFtx 18: 15: DD 018e13f07725 DigiCert TLS ECC P384 Root G5
        ape1HIIZ6T5d7GS61YBs3r 18: 15: DD 371a00dc0533 DigiCert TLS RSA4096 Root G5
        Wd8xe/qfTwq3ylFNd3Ipaq : : ID 552f7bdcf1a7 DigiCert Trusted Root G4
        jUF9st2L9eMITR4/GW1YOE 15.1: 12.0.1: DD 86a1ecba089c emSign ECC Root CA - G3
        N2oacIKlk9zMINVh0Rnpq4 15.1: 12.0.1: DD 40f6af0346a9 emSign Root CA - G1
        bb+uANN7nNc/j7R95lkXrw : : ID 73c176434f1b Entrust Root Certification Authority
        /qK31kX7pz11PB7Jp4cMQO : : ID 02ed0eb28c14 Entrust Root Certification Authority - EC1
        du6FkDdMcVQ3u8prumAo6t : : ID 43df5774b03e Entrust Root Certification Authority - G2
        NtfHnz0Img/3mXLZCSPepc 15.1: 12.0.1: DD db3517d1f673 Entrust Root Certification Authority - G4
        HqPF5D7WbC2imDpCpKebHp : : ID d1c339ea2784,6dc47172e01c Entrust.net Certification Authority (2048)
        YlVMFwBVQ7I3IV8EJo3NL9 : : ID c0a6f4dc63a2 ePKI Root Certification Authority
        zrGUEcZQUsdX+UHrgmyWlB 12.1.1: 10.14.2: ID bfff8fd04433 GDCA TrustAUTH R5 ROOT
        vPtEqrmtAhAVcGtBIep2HI : : ID 5edb7ac43b82 GeoTrust Primary Certification Authority - G2
        knobhWIoBXbQSMUDIa2kPY : : ID 136335439334 Global Chambersign Root - 2008
        CLOmM1/OXvSPjw5UOYbAf9 : : ID bec94911c295,b085d70b964f GlobalSign
        aCdH+LpiG4fN07wpXtXKvO 14.5: 11.3: ID 2cabeafe37d0 GlobalSign
        cGuxAXyFXFkWm61cF4HPWX : : ID cbb522d7b7f1 GlobalSign
        fg6tdrtoGdwvVFEahDVPbo : : ID 179fbc148a3d GlobalSign
        K87oWBWM9UZfyddvDfoxL+ : : ID b41b2fbfb93e,ebd41040e4bb GlobalSign Root CA
        4EoCLOMvTM8sf2BGKHuCij 15: 12.0.1: DD cbb9c44d84b8 GlobalSign Root E46
        rn+WLLnmp9v3uDP7GPqbca 15: 12.0.1: DD 4fa3126d8d3a GlobalSign Root R46
        Nf9rT12ikQ+Ofm1YNADtjH 15: 12.0.1: DD 5cbf6fb81fd4 GlobalSign Secure Mail Root E45
        MhY4wxAbP/w28oDwljGF/B 15: 12.0.1: DD 319af0a7729e GlobalSign Secure Mail Root R45
        /uivkpF1aH9GOKP8mD247N 16: 13: DD 9a296a5182d1 GLOBALTRUST 2020
        VjLZe/p3W/PJnd6lL8JVNB : : ID c3846bf24b9e Go Daddy Class 2 Certification Authority
        Ko8tivDrEjiY90yGasP6Zp : : ID 45140b3247eb Go Daddy Root Certificate Authority - G2
        hxqRlPTu1bMS/0DITB1SSu 12.1.1: 10.14.2: ID 2a575471e313,d947432abde7 GTS Root R1
        Vfd95BwDeSQo+NUYxVEEIl 12.1.1: 10.14.2: ID c45d7bb08e6d,8d25cd97229d GTS Root R2
        QXnt2YHvdHR3tJYmQIr0Pa 12.1.1: 10.14.2: ID 15d5b8774619,34d8a73ee208 GTS Root R3
        mEflZT5enoR1FuXLgYYGqn 12.1.1: 10.14.2: ID 71cca5391f9e,349dfa4058c5 GTS Root R4
        3lb8PLeO7pVmp1w7rvGyIO 15.4: 12.3: ID 8dd4b5373cb0 HARICA Client ECC Root CA 2021
        +7olxaewGZTVZACm23BdUj 15.4: 12.3: ID 1be7abe30686 HARICA Client RSA Root CA 2021
        /HhDAOyN9NPRutdjg1GCkY 15.4: 12.3: ID 3f99cc474acf HARICA TLS ECC Root CA 2021
        aTyaprJFs7AmFjd1CGPq22 15.4: 12.3: ID d95d0e8eda79 HARICA TLS RSA Root CA 2021
        u1IIbQY56NszJ3Wsj06ENd 12: 10.14: DD 44b545aa8a25 Hellenic Academic and Research Institutions ECC RootCA 2015
        UMyGupbbMmPHmkPq0HVT2f 12: 10.14: DD a040929a02ce Hellenic Academic and Research Institutions RootCA 2015
        ecqvU0fm5KlMjniphJb8dA 17: 14: DD f015ce3cc239 HiPKI Root CA - G1
        JUHlO6WzsHrL5wl6xKA+BA 15: 12.0.1: DD 5a2fc03f0c83 Hongkong Post Root CA 3
        B+hU8mp8vTiZJ6oEG/7xts : : ID 5d56499be4d2 IdenTrust Commercial Root CA 1
        WN1h/rNup9JYckNxcJFJyx : : ID 30d0895a9a44 IdenTrust Public Sector Root CA 1
        C5+lpZ7tcVwmwQIMcRtPbs 10.1: 10.12.1: ID 96bcec062649 ISRG Root X1
        diGVwiVYbubAI3RW4hB9xU 15.4: 12.3: ID 69729b8e15a8 ISRG Root X2
        lSwgOcAkPrUV3XPYP8NkMY : : ID 23804203ca45,2530cc8e9832 Izenpe.com
        YWFnIBQzrqbI5eMHCvyvZ0 : : ID 3c5f81fea5fa Microsec e-Szigno Root CA 2009
        NfU84SZGEeAzQP434ex9TM 15.1: 12.0.1: DD 358df39d764a Microsoft ECC Root Certificate Authority 2017
        svcpi1K/LDysTd/nLeTWgq 15.1: 12.0.1: DD c741f70f4b2a Microsoft RSA Root Certificate Authority 2017
        eG/6V4YYw7mjERdeUIFvTd 16: 13: DD 88f438dcf8ff NAVER Global Root Certification Authority
        9Iut199qBmkNCuMTc7EoVf : : ID 6c61dac3a2de NetLock Arany (Class Gold) Főtanúsítvány
        ziTrBibe/YFoyWp3AfCTAW : : ID 41c923866ab4 OISTE WISeKey Global Root GA CA
        FJ8u5juaXlgDJAp3DcmR/C 9.3: 10.11.4: OD 6b9c08e86eb0 OISTE WISeKey Global Root GB CA
        /Tcb6pdV/2DIgoyEm45SFd 13.4: 10.15.4: DD 8560f91c3624 OISTE WISeKey Global Root GC CA
        hqaPBQA0EmpUDTnbLF+Rfv : : ID 8a866fd1b276 QuoVadis Root CA 1 G3
        j9ESw8g3DxR9XM06fYZeuN : : ID 85a0dd7dd720 QuoVadis Root CA 2
        SkntvS+PgjC9VZKzE1c/4c : : ID 8fe4fb0af93a QuoVadis Root CA 2 G3
        DHrKpxAiZyC7yUA0nuLmFI : : ID 18f1fc7f205d QuoVadis Root CA 3
        80OOI7POUyUi+s8weSP1j9 : : ID 88ef81de202e QuoVadis Root CA 3 G3
        lxDy0IctRr+1zlCv5+3DYs 17.4: 14.4: DD 22d9599234d6 Sectigo Public Email Protection Root E46
        Hru7kYd/MVsyFMlyFItNnJ 17.4: 14.4: DD d5917a7791eb Sectigo Public Email Protection Root R46
        sLVjNUaFYfW7n6EtgBeEpj 17.4: 14.4: DD c90f26f0fb1b Sectigo Public Server Authentication Root E46
        Douxi77vs4G+Ib/BogbTFy 17.4: 14.4: DD 7bb647a62aee Sectigo Public Server Authentication Root R46
        w57m3cwfbAF52fRYTQjNSS 17.4: 14.4: DD e44ddb795226 Sectigo Public Time Stamping Root E46
        pNuGaMZ5br9HbdxazkU6km 17.4: 14.4: DD 4941b001b8a9 Sectigo Public Time Stamping Root R46
        dykHF2FLJfEpZOvbOLX4PK : : ID f1c1b50ae5a2 SecureTrust CA
        Mym/oTtgB6tfw3E/CssolC 18: 15: DD e74fbda55bd5 Security Communication ECC RootCA1
        M4BwmvOwlr48wqQFSBQsCl : : ID 513b2cecb810 Security Communication RootCA2
        TDQyyYTGauKnVHQ5g8qJae 17.4: 14.4: DD ad7dd58d03ae SSL.com Client ECC Root CA 2022
        Og7FTBgyooHcMGImf9k3Qp 17.4: 14.4: DD 1d4ca4a2ab21 SSL.com Client RSA Root CA 2022
        NIdnza073SiyuN1TUa7DDG 12: 10.14: DD 22a2c1f7bded SSL.com EV Root Certification Authority ECC
        fNZ8JI9p2D/C+bsB3LH3rW 12: 10.14: DD 2e7bf16cc224 SSL.com EV Root Certification Authority RSA R2
        oyD01TTXvpfBro3QSZc1vI 12: 10.14: DD 3417bb06cc60 SSL.com Root Certification Authority ECC
        0cRTd+vc1hjNFlHcLgLCHX 12: 10.14: DD 85666a562ee0 SSL.com Root Certification Authority RSA
        G/ANXI8TwJTdF+AFBM8IiI 17.4: 14.4: DD c32ffd9f46f9 SSL.com TLS ECC Root CA 2022
        K89VOmb1cJAN3TK6bf4ezA 17.4: 14.4: DD 8faf7d2e2cb4 SSL.com TLS RSA Root CA 2022
        FfFKxFycfaIz00eRZOgTf+ : : ID 1465fa205397 Starfield Class 2 Certification Authority
        gI1os/q0iEpflxrOfRBVDX : : ID 2ce1cb0bf9d2 Starfield Root Certificate Authority - G2
        KwccWaCgrnaw6tsrrSO61F : : ID 568d6905a2c8 Starfield Services Root Certificate Authority - G2
        QPz8KIddzL/ry99s10MzEt : : ID 62dd0be9b9f5 SwissSign Gold CA - G2
        kxgib4yDr+R/X0fCT1nOEt : : ID be6c4da2bbb9 SwissSign Silver CA - G2
        YQbA46CimYMYdRJ719PMGF : : ID 91e2f5788d58 T-TeleSec GlobalRoot Class 2
        jXZ3ZLPL2giSnQcqIqVh9N : : ID fd73dad31c64 T-TeleSec GlobalRoot Class 3
        wrPDGkophQqo889HKhFp/3 17: 14: DD 242b69742fcb Telia Root CA v2
        ELo0hcqLtogKuVMaQGPkAB : : ID dd6936fe21f8 TeliaSonera Root CA v1
        LgbK4fwgsgDm+3SFV6RES+ 16.5: 13.4: DD 97552015f5dd Trustwave Global Certification Authority
        SXEo/JBla4cpBIKyI++3Ik 16.5: 13.4: DD 945bbc825ea5 Trustwave Global ECC P256 Certification Authority
        gosO7/JGVOj/WEGindXU4+ 16.5: 13.4: DD 55903859c8c0 Trustwave Global ECC P384 Certification Authority
        VeAL4nfOsFRSmfJP2fh34q 12.1.1: 10.14.2: ID 46edc3689046 TUBITAK Kamu SM SSL Kok Sertifikasi - Surum 1
        xES1tmzl1x4bXkDyc4XJXL : : ID 59769007f768 TWCA Global Root CA
        ksRoeWJu8swezqUMcvteOF : : ID bfd88fe1101c TWCA Root Certification Authority
        ICGRfpgmOUXIWcQ/HXPLQT 10.1: 10.12.1: ID 4ff460d54b9c USERTrust ECC Certification Authority
        x4QzPSC810K5/cMjb05Qm4 10.1: 10.12.1: ID e793c9b02fd8 USERTrust RSA Certification Authority
        BRz5+pXkDpuD7a7aaWH2Fo : : ID cecddc905099 XRamp Global Certification Authority
        """
}
